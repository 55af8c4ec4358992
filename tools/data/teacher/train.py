"""Trains the teacher from lesson files: an encoder of BERT's shape with a linear chain of labels on it.

Called by `cargo data teacher`, which writes the lessons and packs the result. The encoder's embeddings stay as they are;
layers and head are trained with AdamW, a rate that rises and then falls in a line, and products of 16-bit floats. What
is written are moving averages of the numbers. A run that was killed goes on from its last state.
"""

import argparse
import json
import os
import shutil
import struct
import time

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional

FORMAT = b"taire-lessons 1\n"
WARM_UP = 0.08
DROPOUT = 0.1
DECAY = 0.01
CLIP = 1.0
AVERAGE = 0.998
SAVE_SECONDS = 240


class Lesson:
    """One window: pieces, and for each word its first piece, its label and its clues."""

    __slots__ = ("pieces", "firsts", "labels", "clue_words", "clues")

    def __init__(self, pieces, firsts, labels, ends, clues):
        self.pieces = pieces.astype(np.int64)
        self.firsts = firsts.astype(np.int64)
        self.labels = labels.astype(np.int64)
        counts = np.diff(ends.astype(np.int64), prepend=0)
        self.clue_words = np.repeat(np.arange(len(firsts)), counts)
        self.clues = clues.astype(np.int64)


def read_lessons(path):
    with open(path, "rb") as file:
        if file.readline() != FORMAT:
            raise SystemExit(f"{path}: no lesson file of this version; write the lessons again")
        about = json.loads(file.readline())
        data = file.read()
    at, lessons = 0, []

    def take(kind, count):
        nonlocal at
        out = np.frombuffer(data, kind, count, at)
        at += out.nbytes
        return out

    for _ in range(about["windows"]):
        pieces, words, clues = struct.unpack_from("<HHH", data, at)
        at += 6
        lessons.append(Lesson(take("<u4", pieces), take("<u2", words), take("u1", words), take("<u2", words), take("<u2", clues)))
    return about, lessons


class Layer(torch.nn.Module):
    def __init__(self, width, heads, inner, epsilon):
        super().__init__()
        self.heads = heads
        self.query_key_value = torch.nn.Linear(width, 3 * width)
        self.out = torch.nn.Linear(width, width)
        self.middle = torch.nn.LayerNorm(width, epsilon)
        self.up = torch.nn.Linear(width, inner)
        self.down = torch.nn.Linear(inner, width)
        self.end = torch.nn.LayerNorm(width, epsilon)

    def forward(self, x, mask):
        batch, length, width = x.shape
        parts = self.query_key_value(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], attn_mask=mask)
        attended = self.out(attended.transpose(1, 2).reshape(batch, length, width))
        x = self.middle(x + functional.dropout(attended, DROPOUT, self.training))
        inner = self.down(functional.gelu(self.up(x)))
        return self.end(x + functional.dropout(inner, DROPOUT, self.training))


class Teacher(torch.nn.Module):
    def __init__(self, config, tensors, labels, clues):
        super().__init__()
        width, epsilon = config["hidden_size"], config["layer_norm_eps"]
        self.first_position = config.get("pad_token_id", 0) + 1 if config["model_type"] != "bert" else 0
        self.register_buffer("words", tensors["embeddings.word_embeddings.weight"].float(), persistent=False)
        positions = tensors["embeddings.position_embeddings.weight"].float()
        positions = positions + tensors["embeddings.token_type_embeddings.weight"].float()[0]
        self.register_buffer("positions", positions, persistent=False)
        self.embedding_norm = torch.nn.LayerNorm(width, epsilon)
        self.layers = torch.nn.ModuleList(
            Layer(width, config["num_attention_heads"], config["intermediate_size"], epsilon)
            for _ in range(config["num_hidden_layers"])
        )
        self.clues = torch.nn.Parameter(torch.zeros(clues, width))
        self.rows = torch.nn.Parameter(torch.zeros(labels, width))
        self.biases = torch.nn.Parameter(torch.zeros(labels))
        self.clue_scores = torch.nn.Parameter(torch.zeros(clues, labels))
        self.transitions = torch.nn.Parameter(torch.zeros(labels, labels))
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("inverse", torch.ones(width))
        classes = (labels - 1) // 2
        allowed = torch.ones(labels, labels, dtype=torch.bool)
        for inside in range(1 + classes, labels):
            allowed[:, inside] = False
            allowed[inside, inside] = allowed[inside - classes, inside] = True
        self.register_buffer("allowed", allowed, persistent=False)
        start = torch.ones(labels)
        start[1 + classes:] = 0.0
        self.register_buffer("start", start, persistent=False)
        for name, parameter in self.encoder_names():
            value = torch.cat([tensors[n] for n in name]) if len(name) > 1 else tensors[name[0]]
            parameter.data.copy_(value.float())

    def encoder_names(self):
        """The published names of the encoder's numbers, with the parameters that hold them."""
        yield ["embeddings.LayerNorm.weight"], self.embedding_norm.weight
        yield ["embeddings.LayerNorm.bias"], self.embedding_norm.bias
        for i, layer in enumerate(self.layers):
            base = f"encoder.layer.{i}."
            parts = [base + f"attention.self.{part}" for part in ("query", "key", "value")]
            pairs = [
                (parts, layer.query_key_value),
                ([base + "attention.output.dense"], layer.out),
                ([base + "attention.output.LayerNorm"], layer.middle),
                ([base + "intermediate.dense"], layer.up),
                ([base + "output.dense"], layer.down),
                ([base + "output.LayerNorm"], layer.end),
            ]
            for names, module in pairs:
                yield [n + ".weight" for n in names], module.weight
                yield [n + ".bias" for n in names], module.bias

    def head_parameters(self):
        return [self.clues, self.rows, self.biases, self.clue_scores, self.transitions]

    def vectors(self, lessons):
        """The encoder's rows of all words, one after the other, before they are made even."""
        length = max(len(lesson.pieces) for lesson in lessons)
        pieces = torch.zeros(len(lessons), length, dtype=torch.long)
        mask = torch.zeros(len(lessons), 1, 1, length, dtype=torch.bool)
        rows, clue_rows, clues = [], [], []
        for i, lesson in enumerate(lessons):
            pieces[i, : len(lesson.pieces)] = torch.from_numpy(lesson.pieces)
            mask[i, :, :, : len(lesson.pieces)] = True
            firsts = torch.from_numpy(lesson.firsts) + i * length
            rows.append(firsts)
            clue_rows.append(firsts[torch.from_numpy(lesson.clue_words)])
            clues.append(torch.from_numpy(lesson.clues))
        rows, clue_rows, clues = torch.cat(rows), torch.cat(clue_rows), torch.cat(clues)
        x = self.words[pieces] + self.positions[self.first_position : self.first_position + length]
        x = x.view(-1, x.shape[-1]).index_add(0, clue_rows, self.clues[clues]).view(x.shape)
        x = functional.dropout(self.embedding_norm(x), DROPOUT, self.training)
        for layer in self.layers:
            x = layer(x, mask)
        return x.reshape(-1, x.shape[-1])[rows].float()

    def scores(self, lessons):
        with torch.autocast("cpu", torch.bfloat16):
            vectors = self.vectors(lessons)
        vectors = functional.dropout((vectors - self.mean) * self.inverse, DROPOUT, self.training)
        scores = vectors @ self.rows.T + self.biases
        words, clues, base = [], [], 0
        for lesson in lessons:
            words.append(torch.from_numpy(lesson.clue_words) + base)
            clues.append(torch.from_numpy(lesson.clues))
            base += len(lesson.firsts)
        return scores.index_add(0, torch.cat(words), self.clue_scores[torch.cat(clues)])

    def loss(self, lessons):
        """The negative logarithm of the gold labelling's probability, a word, over all labellings of the chain."""
        scores = self.scores(lessons)
        sizes = [len(lesson.firsts) for lesson in lessons]
        total, longest, labels = sum(sizes), max(sizes), scores.shape[1]
        padded = torch.nn.utils.rnn.pad_sequence(scores.split(sizes), batch_first=True)
        gold = torch.nn.utils.rnn.pad_sequence([torch.from_numpy(l.labels) for l in lessons], batch_first=True)
        lengths = torch.tensor(sizes)
        live = torch.arange(longest)[None, :] < lengths[:, None]
        transitions = self.transitions.clamp(-60.0, 60.0)
        factors = transitions.exp() * self.allowed
        top = padded.max(2, keepdim=True).values
        emissions = (padded - top).exp()
        log_sum = (top[..., 0] * live).sum(1)
        row = emissions[:, 0] * self.start
        for t in range(longest):
            if t > 0:
                step = (row @ factors) * emissions[:, t]
                row = torch.where(live[:, t, None], step, row)
            mass = row.sum(1, keepdim=True).clamp_min(1e-30)
            row = row / mass
            log_sum = log_sum + mass[:, 0].log() * live[:, t]
        words = (padded.gather(2, gold[..., None])[..., 0] * live).sum(1)
        steps = (transitions[gold[:, :-1], gold[:, 1:]] * live[:, 1:]).sum(1)
        return (log_sum - words - steps).sum() / total


def batches(lessons, size, generator):
    """Windows of like length together, batches in any order."""
    order = torch.randperm(len(lessons), generator=generator).tolist()
    pool = size * 16
    out = []
    for start in range(0, len(order), pool):
        near = sorted(order[start : start + pool], key=lambda i: len(lessons[i].pieces))
        out += [[lessons[i] for i in near[at : at + size]] for at in range(0, len(near), size)]
    return [out[i] for i in torch.randperm(len(out), generator=generator).tolist()]


def even(model, lessons):
    """Mean and deviation of the untrained encoder's rows."""
    model.eval()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        rows = torch.cat([model.vectors(lessons[at : at + 8]) for at in range(0, min(len(lessons), 96), 8)])
    model.mean.copy_(rows.mean(0))
    model.inverse.copy_(1.0 / rows.var(0, unbiased=False).clamp_min(1e-6).sqrt())


def judge(model, lessons):
    model.eval()
    with torch.no_grad():
        parts = [lessons[at : at + 32] for at in range(0, len(lessons), 32)]
        words = [sum(len(l.firsts) for l in part) for part in parts]
        return sum(model.loss(part).item() * n for part, n in zip(parts, words)) / sum(words)


def write(model, averages, encoder, tensors, output):
    os.makedirs(output, exist_ok=True)
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(os.path.join(encoder, name), os.path.join(output, name))
    named = {id(p): a for p, a in zip(model.parameters(), averages)}
    out = dict(tensors)
    for names, parameter in model.encoder_names():
        for name, part in zip(names, named[id(parameter)].chunk(len(names))):
            out[name] = part.clone().contiguous()
    save_file(out, os.path.join(output, "model.safetensors"))
    head = {name: named[id(getattr(model, name))].clone() for name in ("clues", "rows", "biases", "clue_scores", "transitions")}
    head |= {"mean": model.mean.clone(), "inverse": model.inverse.clone()}
    save_file(head, os.path.join(output, "head.safetensors"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("encoder")
    parser.add_argument("work")
    parser.add_argument("output")
    parser.add_argument("--epochs", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--head-rate", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    with open(os.path.join(args.encoder, "config.json")) as file:
        config = json.load(file)
    tensors = load_file(os.path.join(args.encoder, "model.safetensors"))
    epochs = [os.path.join(args.work, f"epoch-{epoch:02}.lessons") for epoch in range(args.epochs)]
    about, first = read_lessons(epochs[0])
    _, dev = read_lessons(os.path.join(args.work, "dev.lessons"))
    dev = dev[::6]
    model = Teacher(config, tensors, about["labels"], about["clues"])
    head = model.head_parameters()
    own = {id(p) for p in head}
    matrices = [p for p in model.layers.parameters() if p.dim() == 2]
    vectors = [p for p in model.parameters() if id(p) not in own and p.dim() == 1]
    optimiser = torch.optim.AdamW(
        [
            {"params": matrices, "lr": args.rate, "weight_decay": DECAY},
            {"params": vectors, "lr": args.rate, "weight_decay": 0.0},
            {"params": head, "lr": args.head_rate, "weight_decay": 0.0},
        ]
    )
    sizes = []
    for path in epochs:
        with open(path, "rb") as file:
            file.readline()
            sizes.append(-(-json.loads(file.readline())["windows"] // args.batch))
    steps = sum(sizes)
    rise = max(1, int(WARM_UP * steps))
    rate = lambda step: min((step + 1) / rise, max(0.0, (steps - step) / max(1, steps - rise)))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, rate)
    averages = None
    state_file = os.path.join(args.work, "training.state")
    done = 0
    if os.path.exists(state_file):
        state = torch.load(state_file, weights_only=True)
        if state["steps"] == steps:
            model.load_state_dict(state["model"])
            optimiser.load_state_dict(state["optimiser"])
            schedule.load_state_dict(state["schedule"])
            averages, done = state["averages"], state["done"]
            print(f"goes on from step {done}", flush=True)
    if averages is None:
        even(model, first)
        averages = [p.detach().clone() for p in model.parameters()]
    step, loss, saved, begun, began_at = 0, 0.0, time.time(), time.time(), done
    for epoch, path in enumerate(epochs):
        if step + sizes[epoch] <= done:
            step += sizes[epoch]
            continue
        lessons = first if epoch == 0 else read_lessons(path)[1]
        generator = torch.Generator().manual_seed(args.seed * 1000 + epoch)
        for batch in batches(lessons, args.batch, generator):
            step += 1
            if step <= done:
                continue
            torch.manual_seed(args.seed * 1_000_003 + step)
            model.train()
            now = model.loss(batch)
            optimiser.zero_grad(set_to_none=True)
            now.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
            optimiser.step()
            schedule.step()
            share = max(1.0 - AVERAGE, 1.0 / (step + 1))
            with torch.no_grad():
                torch._foreach_lerp_(averages, [p.detach() for p in model.parameters()], share)
            loss = now.item() if loss == 0.0 else 0.97 * loss + 0.03 * now.item()
            if step % 20 == 0 or step < 4:
                left = (time.time() - begun) / max(1, step - began_at) * (steps - step)
                print(f"step {step} of {steps}: loss {loss:.4f}, {left:.0f} s left", flush=True)
            if time.time() - saved > SAVE_SECONDS:
                torch.save(
                    {
                        "steps": steps,
                        "done": step,
                        "model": model.state_dict(),
                        "optimiser": optimiser.state_dict(),
                        "schedule": schedule.state_dict(),
                        "averages": averages,
                    },
                    state_file + ".new",
                )
                os.replace(state_file + ".new", state_file)
                saved = time.time()
        kept = [p.detach().clone() for p in model.parameters()]
        with torch.no_grad():
            torch._foreach_copy_(list(model.parameters()), averages)
            print(f"epoch {epoch + 1}: loss {loss:.4f}, loss on dev {judge(model, dev):.4f}", flush=True)
            torch._foreach_copy_(list(model.parameters()), kept)
        write(model, averages, args.encoder, tensors, args.output)
    if os.path.exists(state_file):
        os.remove(state_file)


if __name__ == "__main__":
    main()
