cp "$SM_SRC"/tests/cli/text/*.txt .
