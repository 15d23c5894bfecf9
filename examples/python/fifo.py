"""A queue of four words, built in Python and compared with what it should contain.

The property follows one word through the queue: the word that is written as number `n` is the word
that is read as number `n`. Run with `--bug` for a queue that accepts words when it is full.
"""

import sys

from elinvar import System, ite


def fifo(bug: bool = False) -> System:
    s = System()
    push, pop, data = s.input("push"), s.input("pop"), s.input("data", 8)
    memory = s.memory("memory", address_width=2, width=8)
    head, tail = s.register("head", 2, init=0), s.register("tail", 2, init=0)
    count = s.register("count", 3, init=0)

    write = push & (1 if bug else count != 4)
    read = pop & (count != 0)
    memory.next = write.ite(memory.write(tail, data), memory)
    tail.next = tail + write.zext(2)
    head.next = head + read.zext(2)
    count.next = count + write.zext(3) - read.zext(3)

    # Any word may be the one that is followed: `start` decides when it is written.
    start = s.input("start")
    followed = s.register("followed", init=0)
    value, ahead = s.register("value", 8), s.register("ahead", 3)
    begins = start & write & ~followed
    leaves = followed & read & (ahead == 0)
    followed.next = begins | (followed & ~leaves)
    value.next = begins.ite(data, value)
    ahead.next = ite(begins, count - read.zext(3), ahead - read.zext(3))
    s.output("front", memory[head])
    s.always(leaves.implies(memory[head] == value), "in_order")
    s.always(count <= 4, "capacity")
    return s


if __name__ == "__main__":
    print(fifo(bug="--bug" in sys.argv).check(timeout=60))
