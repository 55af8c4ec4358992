"""Makes `tests/families/`: tiny encoders of each family with random weights, and what the reference implementation says.

    pip install torch transformers tokenizers sentencepiece safetensors protobuf
    python crates/taire-encoder/tests/parity.py

The Rust tests read the folders and must come to the same pieces, offsets and vectors. Sentences are invented.
"""

import base64
import json
import os
import shutil
import sys
import tempfile

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "families")
TEXTS = [
    "Le patient Jean Dupont, né le 3 mai 1950, habite à Évreux.",
    "Doña Ángela Peña ingresó el 12/03/2015 en el Hospital de la Paz (Madrid).",
    "  l'œdème   aigu ; 37,5 °C — T3N0M0 n° 12345 !",
    "cafe\u0301 ＡＢ ﬁn de séjour\tà 8 h 30\nDr. O'Connor's note",
    "日本 und Ärzte 😀 xyz",
]
TRAIN = TEXTS[:3] * 20 + [
    "la paciente fue vista en el servicio de urgencias por el doctor",
    "le patient a été vu dans le service des urgences par le docteur",
    "hospital hôpital clinique clínica médico médecin señora madame monsieur",
] * 10


def word_piece(lower):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer(lowercase=lower)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.train_from_iterator(TRAIN, trainers.WordPieceTrainer(
        vocab_size=160, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False))
    t.post_processor = processors.BertProcessing(("[SEP]", t.token_to_id("[SEP]")), ("[CLS]", t.token_to_id("[CLS]")))
    return t


def byte_level():
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(TRAIN, trainers.BpeTrainer(
        vocab_size=330, special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=False, add_prefix_space=False)
    return t


def charsmap():
    """A small table in SentencePiece's own format, compiled by SentencePiece."""
    import sentencepiece as spm
    from sentencepiece import sentencepiece_model_pb2 as pb

    rules = {"ﬁ": "fi", "\u00a0": " ", "\t": " ", "\n": " ", "Ａ": "A", "Ｂ": "B", "e\u0301": "é", "—": "-", "°": "o"}
    with tempfile.TemporaryDirectory() as folder:
        tsv, text = os.path.join(folder, "rules.tsv"), os.path.join(folder, "text")
        with open(tsv, "w", encoding="utf8") as f:
            for a, b in rules.items():
                f.write(" ".join(f"{ord(c):X}" for c in a) + "\t" + " ".join(f"{ord(c):X}" for c in b) + "\n")
        with open(text, "w", encoding="utf8") as f:
            f.write("\n".join(t.replace("\n", " ") for t in TRAIN))
        spm.SentencePieceTrainer.train(input=text, model_prefix=os.path.join(folder, "m"), vocab_size=100,
                                       hard_vocab_limit=False, normalization_rule_tsv=tsv, minloglevel=2)
        proto = pb.ModelProto()
        with open(os.path.join(folder, "m.model"), "rb") as f:
            proto.ParseFromString(f.read())
        return base64.b64encode(proto.normalizer_spec.precompiled_charsmap).decode()


def unigram(compiled):
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizers.NFKC()
    t.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")])
    t.train_from_iterator(TRAIN, trainers.UnigramTrainer(
        vocab_size=150, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False))
    t.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    spec = json.loads(t.to_str())
    if compiled:
        # As published: the table, then runs of blanks to one.
        spec["normalizer"] = {"type": "Sequence", "normalizers": [
            {"type": "Precompiled", "precompiled_charsmap": charsmap()},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]}
    return Tokenizer.from_str(json.dumps(spec))


def make(name, tokenizer, config, model):
    folder = os.path.join(OUT, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    model.eval()
    for p in model.parameters():
        p.data = torch.randn_like(p) * 0.25 + (1.0 if p.dim() == 1 and p.data.mean() == 1 else 0.0)
    model.save_pretrained(folder)
    for extra in os.listdir(folder):
        if extra not in ("config.json", "model.safetensors"):
            os.remove(os.path.join(folder, extra))
    with open(os.path.join(folder, "tokenizer.json"), "w", encoding="utf8") as f:
        json.dump(json.loads(tokenizer.to_str()), f, ensure_ascii=False)
    cases = []
    for text in TEXTS:
        encoded = tokenizer.encode(text)
        plain = tokenizer.encode(text, add_special_tokens=False)
        offsets = [[len(text[:a].encode()), len(text[:b].encode())] for a, b in plain.offsets]
        with torch.no_grad():
            hidden = model(input_ids=torch.tensor([encoded.ids]), attention_mask=torch.ones(1, len(encoded.ids))).last_hidden_state[0]
        rows = [[round(float(x), 6) for x in row] for row in hidden[::5]]
        cases.append({"text": text, "ids": encoded.ids, "offsets": offsets, "rows": rows})
    with open(os.path.join(folder, "expected.json"), "w", encoding="utf8") as f:
        json.dump({"every": 5, "cases": cases}, f, ensure_ascii=False)
    print(name, tokenizer.get_vocab_size(), sum(os.path.getsize(os.path.join(folder, n)) for n in os.listdir(folder)))


def main():
    torch.manual_seed(7)
    size = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, max_position_embeddings=96)
    t = word_piece(lower=True)
    make("bert", t, None, transformers.BertModel(transformers.BertConfig(vocab_size=t.get_vocab_size(), **size)))
    t = byte_level()
    make("roberta", t, None, transformers.RobertaModel(transformers.RobertaConfig(
        vocab_size=t.get_vocab_size(), pad_token_id=1, type_vocab_size=1, **size)))
    t = unigram(compiled=True)
    make("camembert", t, None, transformers.CamembertModel(transformers.CamembertConfig(
        vocab_size=t.get_vocab_size(), pad_token_id=1, type_vocab_size=1, **size)))
    t = unigram(compiled=False)
    make("xlm-roberta", t, None, transformers.XLMRobertaModel(transformers.XLMRobertaConfig(
        vocab_size=t.get_vocab_size(), pad_token_id=1, type_vocab_size=1, **size)))
    make("minilm", t, None, transformers.BertModel(transformers.BertConfig(vocab_size=t.get_vocab_size(), **size)))
    if hasattr(transformers, "FlaubertModel"):
        t = word_piece(lower=False)
        make("flaubert", t, None, transformers.FlaubertModel(transformers.FlaubertConfig(
            vocab_size=t.get_vocab_size(), emb_dim=16, n_layers=2, n_heads=2, max_position_embeddings=96,
            gelu_activation=True, pre_norm=False, dropout=0.0, attention_dropout=0.0, pad_index=0, layerdrop=0.0)))
    else:
        print("no FlaubertModel in this version of transformers", file=sys.stderr)


if __name__ == "__main__":
    main()
