// Facts as lines of JSON: what is asked and answered. The form of the lines is src/management/policy-file/facts-lines.ts.
import * as t from '../../model/json-schema.ts'
import { numberParameter, query, textParameter } from './query-parameters.ts'
import { Count } from './schema-parts.ts'

export const FactsExportQuery = query({
  at: textParameter('at a revision, or at an instant in ISO 8601'),
  skip: numberParameter({ type: 'integer', minimum: 0, default: 0 }, 'facts to leave out at the start'),
})

/** The other facts were as their lines say. */
export const FactsImported = t.named('FactsImported', t.open({ created: Count, changed: Count, facts: Count }))
export type FactsImported = t.Static<typeof FactsImported>
