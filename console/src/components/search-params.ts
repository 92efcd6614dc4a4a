// Reads the search parameters of addresses. Anything of another type is left out.

type Search = Readonly<Record<string, unknown>>

/** A text; a number is one, too: keys may be digits. */
export function textIn<N extends string>(search: Search, name: N): { readonly [K in N]?: string } {
  const value = search[name]
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  return typeof text === 'string' && text !== '' ? ({ [name]: text } as { [K in N]: string }) : {}
}

/** The page of a list, from 1, which is also meant when it is absent. */
export function pageIn({ page }: Search): { readonly page?: number } {
  return typeof page === 'number' && Number.isSafeInteger(page) && page > 1 ? { page } : {}
}
