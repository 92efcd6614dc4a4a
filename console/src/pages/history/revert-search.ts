// The address of a revert: what of the revision is left as it is, and whether deletes may take others along.

export interface RevertSearch {
  /** objects that are not reverted, as `kind:key` */
  readonly without?: readonly string[]
  readonly cascade?: true
}

/** What an address says; whatever else it says is left out. */
export function parseRevertSearch({ without, cascade }: Record<string, unknown>): RevertSearch {
  const left = Array.isArray(without) ? without.filter((name): name is string => typeof name === 'string') : []
  return { ...(left.length > 0 ? { without: left } : {}), ...(cascade === true ? { cascade } : {}) }
}

/** An object as reverts name it. */
export const objectName = ({ kind, key }: { readonly kind: string; readonly key: string }): string => `${kind}:${key}`

/** The body of a revert of these objects. */
export function makeRevertBody(
  changes: readonly { readonly kind: string; readonly key: string }[],
  { without = [], cascade }: RevertSearch,
): { only?: string[]; cascade?: boolean } {
  const only = changes.map(objectName).filter((name) => !without.includes(name))
  return { ...(without.length > 0 ? { only } : {}), ...(cascade ? { cascade } : {}) }
}
