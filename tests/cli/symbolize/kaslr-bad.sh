smtool symbolize --kaslr banana -i stack-ids 0x12
