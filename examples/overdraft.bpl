// An account that forgets a fee: the run has values. Expected: unsafe.
//
// An account is asked for money until it has none left. It charges a fee for each
// payment, which the check before the payment forgets.

const fee: int;
axiom fee == 1;

procedure overdraft(start: int)
  requires 0 <= start && start <= 100;
{
  var balance, amount: int;

  balance := start;
  while (balance > 0) {
    havoc amount;
    assume 0 < amount && amount <= balance;
    balance := balance - amount - fee;
    assert balance >= 0;
  }
}
