/** Metric values in the text format of Prometheus, by `name{label="value"}` as written. */
export type Figures = ReadonlyMap<string, number>;

const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)+\})?) ([-+.\w]+)$/;
const comment = /^# (?:HELP [a-zA-Z_:]\w* .+|TYPE [a-zA-Z_:]\w* (?:counter|gauge|histogram|summary|untyped))$/;

/** Parses metrics; throws for an invalid line and for a duplicate. */
export function readMetrics(text: string): Figures {
  const figures = new Map<string, number>();
  for (const line of text.split('\n').filter((one) => one !== '' && !comment.test(one))) {
    const [, name, value] = sample.exec(line) ?? [];
    if (name === undefined || figures.has(name)) throw new Error(`expected a sample of its own, found ${line}`);
    figures.set(name, Number(value));
  }
  return figures;
}
