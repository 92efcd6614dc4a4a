// The old engine of a proof: Cedar itself, over the policies, the schema and the entities.
import { ZerohopError } from '../../model/errors.ts'
import type { OldEngine } from '../frame/importer.ts'
import type { Answer, Cedar } from './package.ts'
import type { Uid } from './schema.ts'

export interface Asked {
  readonly principal: Uid
  readonly action: Uid
  readonly resource: Uid
  readonly context: Readonly<Record<string, unknown>>
}

/** Each import has a name of its own, because Cedar keeps what it has parsed by name. */
let opened = 0

/** @throws CONFIG_INVALID when Cedar refuses what it has to ask about */
export function openCedar(cedar: Cedar, policies: string, schema: unknown, entities: unknown): OldEngine<Asked> {
  const name = `zerohop-${++opened}`
  refuseFailure(cedar.preparsePolicySet(name, { staticPolicies: policies }))
  refuseFailure(cedar.preparseSchema(name, schema))
  return {
    name: `Cedar ${cedar.getCedarSDKVersion()}`,
    ask: async (asked) => {
      const answer = cedar.statefulIsAuthorized({
        ...asked,
        ...{ preparsedPolicySetId: name, preparsedSchemaName: name, validateRequest: true, entities },
      })
      if (answer.type === 'failure') throw new Error(answer.errors[0]?.message)
      return answer.response.decision === 'allow'
    },
    close: () => Promise.resolve(),
  }
}

function refuseFailure(answer: Answer<object>): void {
  if (answer.type === 'failure')
    throw new ZerohopError('CONFIG_INVALID', { reason: `Cedar refuses the files: ${answer.errors[0]?.message}` })
}
