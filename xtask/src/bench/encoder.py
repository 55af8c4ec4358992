"""Runs an encoder by PyTorch on the pieces of `cargo xtask bench encoder`: prints seconds of processor time as JSON."""

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

torch.set_num_threads(1)
model = AutoModel.from_pretrained(folder, add_pooling_layer=False).eval()
out = []
with torch.inference_mode():
    for case in spec:
        batch = torch.tensor(case["pieces"])
        rows = model(input_ids=batch, attention_mask=torch.ones_like(batch)).last_hidden_state
        best = float("inf")
        for _ in range(case["runs"]):
            start = time.process_time()
            model(input_ids=batch, attention_mask=torch.ones_like(batch))
            best = min(best, time.process_time() - start)
        out.append({"seconds": best, "row": rows[0, -1].tolist()})
print(json.dumps({"with": f"PyTorch {torch.__version__}", "cases": out}))
