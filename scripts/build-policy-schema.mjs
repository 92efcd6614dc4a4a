// Writes the JSON Schema of policy files, made from the sources that were just compiled.
import { writeFileSync } from 'node:fs'

/** At the root of the package, so that the first line of a policy file is short. */
export const POLICY_SCHEMA = 'policy.schema.json'

export async function buildPolicySchema() {
  const { policyJsonSchema } = await import('../dist/src/http/policy-json-schema.js')
  writeFileSync(POLICY_SCHEMA, `${JSON.stringify(policyJsonSchema(), null, 2)}\n`)
}
