// How a step says how far it is; who shows it decides how.

export interface Progress {
  /** @param total 0 when it is not known */
  begin(what: string, total: number): void
  step(): void
  end(): void
}
