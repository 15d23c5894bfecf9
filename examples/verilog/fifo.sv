// A queue between a producer and a consumer, in a memory with one slot more than it may
// hold. With -D BUG the queue accepts a word although it is full; with -D REFILL there is a
// cover statement that cannot be reached.
module fifo #(
    parameter WIDTH = 8,
    parameter DEPTH = 4
) (
    input  wire             clk,
    input  wire             rst_n,
    input  wire             push,
    input  wire [WIDTH-1:0] push_data,
    input  wire             pop,
    output wire [WIDTH-1:0] pop_data,
    output wire             full,
    output wire             empty
);
    localparam BITS = $clog2(DEPTH + 1);

    reg [WIDTH-1:0] slots [0:(1 << BITS)-1];
    reg [BITS-1:0]  head, tail, count;

    assign full     = count == DEPTH;
    assign empty    = count == 0;
    assign pop_data = slots[head];

`ifdef BUG
    wire do_push = push && (!full || !pop);
`else
    wire do_push = push && !full;
`endif
    wire do_pop  = pop && !empty;

    always @(posedge clk or negedge rst_n)
        if (!rst_n) begin
            head  <= 0;
            tail  <= 0;
            count <= 0;
        end else begin
            if (do_push) tail <= tail + 1;
            if (do_pop) head <= head + 1;
            count <= count + do_push - do_pop;
        end

    always @(posedge clk)
        if (do_push) slots[tail] <= push_data;

`ifdef FORMAL
    // The first cycle is a reset.
    reg started = 0;
    always @(posedge clk) started <= 1;
    always @* if (!started) m_reset: assume (!rst_n);

    // One word, chosen freely, is watched on its way through the queue.
    (* anyconst *) wire [WIDTH-1:0] watched;
    reg             inside = 0;
    reg [BITS-1:0]  place;
    wire enters = do_push && push_data == watched && !inside;
    wire leaves = do_pop && inside && head == place;

    always @(posedge clk)
        if (!rst_n) inside <= 0;
        else if (enters) begin
            inside <= 1;
            place  <= tail;
        end else if (leaves) inside <= 0;

    always @(posedge clk)
        if (started && rst_n) begin
            a_count:    assert (count <= DEPTH);
            a_pointers: assert (count == ((tail - head) & {BITS{1'b1}}));
            if (leaves) a_data: assert (pop_data == watched);
            if ($past(rst_n && pop && empty)) a_no_underflow: assert (head == $past(head));
            c_full:     cover (full);
`ifdef REFILL
            c_refilled: cover (full && $past(empty));
`endif
        end
`endif
endmodule
