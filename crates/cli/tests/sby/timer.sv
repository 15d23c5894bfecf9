// A timer that counts down from a value that is loaded, and a bell that rings at zero.
module timer (
    input  wire       clk,
    input  wire       load,
    input  wire [3:0] value,
    output wire       bell
);
    reg [3:0] left = 0;
    reg       armed = 0;
    assign bell = armed && left == 0;

    always @(posedge clk)
        if (load) begin
            left <= value;
            armed <= 1;
`ifdef BUG
        end else begin
            left <= left - 1;
`else
        end else if (left != 0) begin
            left <= left - 1;
`endif
        end

    // The timer is never loaded with more than ten.
    always @* assume (value <= 10);

    always @(posedge clk) begin
        a_limit: assert (left <= 10);
        c_bell:  cover (bell);
`ifdef UNREACHABLE
        c_never: cover (left == 12);
`endif
    end
endmodule
