"""Notes of a Spark data frame, with a key file that every worker has.

    spark-submit spark_notes.py notes.parquet out/ taire.key
"""

import sys

from pyspark.sql import SparkSession

from taire import spark


def main(source, out, key_file):
    session = SparkSession.builder.appName("notes").getOrCreate()
    notes = session.read.parquet(source)
    done = spark.deid(notes, text="note_text", patient="person_id", id="note_id", policy="fr", key_file=key_file)
    done.write.parquet(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
