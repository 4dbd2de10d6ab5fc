/** The texts of one setting as somebody gave them, and who did. */
export interface Given {
  /** One text; any number of them for a list; `true` or `false` for a switch. */
  readonly texts: readonly string[];
  readonly from: 'flag' | 'environment' | 'file';
  /** Where, for people: `--port`, `SVC_PORT` or `svc.yaml, line 3`. */
  readonly place: string;
}
