"""Runs an encoder by PyTorch on the pieces of `cargo xtask bench encoder`: prints seconds on one core and on two as JSON."""

import json
import sys
import time

folder, spec = sys.argv[1], json.loads(sys.argv[2])
try:
    import torch
    from transformers import AutoModel
except ImportError as e:
    print(json.dumps({"why": f"{e.name} cannot be imported"}))
    sys.exit()

model = AutoModel.from_pretrained(folder, add_pooling_layer=False).eval()
out = []
with torch.inference_mode():
    for case in spec:
        batch = torch.tensor(case["pieces"])
        seconds = []
        for threads, clock in ((1, time.process_time), (2, time.perf_counter)):
            torch.set_num_threads(threads)
            rows = model(input_ids=batch, attention_mask=torch.ones_like(batch)).last_hidden_state
            best = float("inf")
            for _ in range(case["runs"]):
                start = clock()
                model(input_ids=batch, attention_mask=torch.ones_like(batch))
                best = min(best, clock() - start)
            seconds.append(best)
        out.append({"seconds": seconds, "row": rows[0, -1].tolist()})
print(json.dumps({"with": f"PyTorch {torch.__version__}", "cases": out}))
