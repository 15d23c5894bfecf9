// Applied by Yosys's techmap after the design has been elaborated. Each cell of a kind that
// write_btor leaves out, or writes without its name and place, gets an assertion that carries
// both; the front end turns these assertions into what they stand for.

(* techmap_celltype = "$cover" *)
module elinvar_cover (input A, input EN);
    \$assert elinvar_cover (.A(~A), .EN(EN));
endmodule

(* techmap_celltype = "$assume" *)
module elinvar_assume (input A, input EN);
    \$assert elinvar_assume (.A(A), .EN(EN));
    \$assume elinvar (.A(A), .EN(EN));
endmodule

// Once A is requested, it follows. A violation is a path on which some request, which guess
// chooses, is never answered: watching holds again and again.
(* techmap_celltype = "$live" *)
module elinvar_live (input A, input EN);
    wire guess;
    \$anyseq #(.WIDTH(1)) choose (.Y(guess));
    (* init = 1'b0 *) wire watched;
    (* init = 1'b0 *) wire answered;
    wire watching = watched | (EN & guess);
    wire done = answered | (watching & A);
    \$ff #(.WIDTH(1)) watched_ff (.D(watching), .Q(watched));
    \$ff #(.WIDTH(1)) answered_ff (.D(done), .Q(answered));
    \$assert elinvar_live (.A(~(watching & ~done)), .EN(1'b1));
endmodule

// On the paths that count, every request is answered: again and again, none is open. The assertion
// is violated while none is open, as the one for a liveness property is violated while a request is
// watched.
(* techmap_celltype = "$fair" *)
module elinvar_fair (input A, input EN);
    (* init = 1'b0 *) wire opened;
    wire open = (opened | EN) & ~A;
    \$ff #(.WIDTH(1)) opened_ff (.D(open), .Q(opened));
    \$assert elinvar_fair (.A(open), .EN(1'b1));
endmodule
