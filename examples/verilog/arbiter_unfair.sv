// Two clients share a resource. If both request it, client 0 is next, so client 1 may starve.
module arbiter_unfair (
    input clk,
    input [1:0] req,
    output reg [1:0] gnt
);
    initial gnt = 0;

    wire first = req[0];
    wire second = req[1] & ~req[0];

    always @(posedge clk) gnt <= {second, first};

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
