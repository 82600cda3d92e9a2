mkcapture "$DATA/gen/stack-ids.txt" stack-ids
