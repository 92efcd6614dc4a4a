// A field of tenants that the product does not have: the one line that adds it.
import type { Canary } from '../support/canary.ts'

/** The line, above the last one of the fields of tenants. */
export const FIELD: Canary = {
  'field-of-tenants': (code: string) => `website: { form: 'text', about: 'home page of the tenant' }, ${code}`,
}

/** The same of the kinds that connect others, above the last of their fields. */
export const PAYLOADS: Canary = Object.fromEntries(
  ['assignments', 'tuples', 'memberships'].map((kind) => [
    `payload-of-${kind}`,
    (code: string) => `note: { form: 'text', about: 'why they are connected' }, ${code}`,
  ]),
)
