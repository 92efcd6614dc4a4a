// Writes the JSON Schemas of policy files, of test files and of sync files, made from the sources that were just compiled.
import { writeFileSync } from 'node:fs'

/** At the root of the package, so that the first line of a file is short. */
export const SCHEMAS = ['policy.schema.json', 'policy-test.schema.json', 'sync.schema.json']

export async function buildPolicySchemas() {
  const { policyJsonSchema } = await import('../dist/src/http/policy-json-schema.js')
  const { testJsonSchema } = await import('../dist/src/cli/test-json-schema.js')
  const { syncJsonSchema } = await import('../dist/src/cli/sync-json-schema.js')
  for (const [at, schema] of [policyJsonSchema(), testJsonSchema(), syncJsonSchema()].entries())
    writeFileSync(SCHEMAS[at], `${JSON.stringify(schema, null, 2)}\n`)
}
