/** What one call for an output, a program or a judgement may write, reasoning included; it reserves money for as much. */
export const OUTPUT_TOKENS = 16_384;
