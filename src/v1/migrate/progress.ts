// The progress of a step; the caller decides how to show it.

export interface Progress {
  /** @param total 0 when unknown */
  begin(what: string, total: number): void
  step(): void
  end(): void
}
