// A plain kind that the product does not have: the lines that add it. Imports are written where they are used.
import type { Canary } from '../support/canary.ts'

const KIND = `{
  number: 30,
  fields: {
    name: { form: 'name', about: 'display name' },
    description: { form: 'text', about: 'description for people' },
    color: { form: 'text', about: 'as pages show it' },
  },
  hasIds: true,
  hasOwnTable: false,
  indexes: {},
  projection: null,
  inFiles: { section: 'labels', isFact: false, key: 'own' },
}`
const RULES = `{ limit: 100, removed: () => [] }`
const COLLECTION = `(await import('./plain-kinds.ts')).plainCollection('label', ${RULES})`

export const PLAIN_KIND: Canary = {
  'kind-in-files': (code: string) => `'label', ${code}`,
  'plain-kind': (code: string) => `label: ${KIND}, ${code}`,
  'words-of-plain-kind': (code: string) => `label: { one: 'label', many: 'labels' }, ${code}`,
  'writes-of-plain-kind': (code: string) =>
    `label: withBodies(PLAIN_SCHEMAS.label, makeWrites(${COLLECTION})), ${code}`,
  'routes-of-plain-kind': (code: string) =>
    `label: ((routes) => (app, management) => routes.plainRoutes(app, management, 'label'))(await import('./plain-kinds.ts')), ${code}`,
}
