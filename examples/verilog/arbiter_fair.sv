// Two clients share a resource. If both request it, the one that did not have it last is next.
module arbiter_fair (
    input clk,
    input [1:0] req,
    output reg [1:0] gnt
);
    reg last; // the client that was granted last

    initial gnt = 0;
    initial last = 0;

    wire first = req[0] & (~req[1] | last);
    wire second = req[1] & (~req[0] | ~last);

    always @(posedge clk) begin
        gnt <= {second, first};
        if (first) last <= 0;
        if (second) last <= 1;
    end

`ifdef FORMAL
    // A client keeps its request until it is granted.
    reg [1:0] waiting;
    initial waiting = 0;
    always @(posedge clk) waiting <= req & ~gnt;
    always @* assume ((waiting & ~gnt & ~req) == 0);

    exclusive: assert property (gnt != 2'b11);
    // G (req[1] -> F gnt[1])
    always @(posedge clk) if (req[1]) granted: assert (s_eventually (gnt[1]));
`endif
endmodule
