"""Times Presidio's analyser with spaCy on a JSONL file; says why when it cannot."""

import json
import sys
import time

path, language, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
try:
    import spacy.util
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider
except ImportError as missing:
    sys.exit(print(json.dumps({"why": f"not installed ({missing.name})"})))
models = [f"{language}_core_news_{size}" for size in ("lg", "md", "sm")]
model = next((m for m in models if spacy.util.is_package(m)), None)
if model is None:
    sys.exit(print(json.dumps({"why": f"no spaCy model for {language} is installed"})))
settings = {"nlp_engine_name": "spacy", "models": [{"lang_code": language, "model_name": model}]}
engine = NlpEngineProvider(nlp_configuration=settings).create_engine()
analyser = AnalyzerEngine(nlp_engine=engine, supported_languages=[language])
size, clock = 0, time.process_time()
with open(path, encoding="utf-8") as lines:
    for line in lines:
        text = json.loads(line)["text"]
        analyser.analyze(text=text, language=language)
        size += len(text.encode())
        if size > limit:
            break
print(json.dumps({"bytes": size, "seconds": time.process_time() - clock, "with": model}))
