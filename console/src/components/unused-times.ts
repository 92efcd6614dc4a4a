// For how long something was not used, as lists are filtered by it.

/** As the API and addresses have them. */
export const UNUSED = ['30d', '90d', '365d'] as const
export type Unused = (typeof UNUSED)[number]

const WORDS: Readonly<Record<Unused, string>> = { '30d': '30 days', '90d': '90 days', '365d': 'a year' }

/** `Unused for 30 days` */
export const unusedText = (unused: Unused): string => `Unused for ${WORDS[unused]}`

/** What an address says; nothing where it says none of them. */
export function unusedIn({ unused }: Record<string, unknown>): { readonly unused?: Unused } {
  const found = UNUSED.find((each) => each === unused)
  return found === undefined ? {} : { unused: found }
}
