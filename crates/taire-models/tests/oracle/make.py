"""Makes `expected.txt`: what python-crfsuite 0.9.12 reaches on the small synthetic task of `oracle.rs`.

Run in a virtual environment that has python-crfsuite; the Rust test reads the result and needs no Python.
The data come from the same integer generator as in `oracle.rs`.
"""

import pycrfsuite

LABELS = ["O", "A", "B", "C"]


def generator(state=12345):
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 33


def sequences():
    draw = generator()
    for _ in range(60):
        features, labels, last = [], [], 0
        for _ in range(4 + next(draw) % 9):
            word = next(draw) % 30
            suffix = word % 7
            label = (word // 8 + (last if next(draw) % 3 == 0 else 0)) % 4
            if next(draw) % 10 == 0:
                label = next(draw) % 4
            features.append([f"w{word}", f"s{suffix}", "bias"])
            labels.append(LABELS[label])
            last = label
        yield features, labels


def loss(c1, c2):
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.select("lbfgs")
    trainer.set_params({"c1": c1, "c2": c2, "max_iterations": 2000, "epsilon": 1e-7, "delta": 1e-12})
    for features, labels in sequences():
        trainer.append(features, labels)
    trainer.train("/tmp/oracle.crfsuite")
    return trainer.logparser.last_iteration["loss"]


for c1, c2 in [(0.0, 0.1), (0.0, 1.0), (0.01, 0.1), (0.5, 0.0), (1.0, 0.5)]:
    print(c1, c2, loss(c1, c2))
