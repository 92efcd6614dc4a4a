// Where to go after signing in at the identity provider, which leads back to the first page: kept in this tab
// meanwhile.
const KEY = 'zerohop-return'

/** Undefined removes it. */
export function keepReturnAddress(to: string | undefined): void {
  if (to === undefined) sessionStorage.removeItem(KEY)
  else sessionStorage.setItem(KEY, to)
}

/** Once: it is forgotten. */
export function takeReturnAddress(): string | undefined {
  const to = sessionStorage.getItem(KEY) ?? undefined
  sessionStorage.removeItem(KEY)
  return to
}
