// Changes of any kind, for policies of the tests.
import type { PolicyChange } from '../../src/log/delta.ts'

export const put = (kind: PolicyChange['kind'], key: string, value: object): PolicyChange =>
  ({ op: 'put', kind, key, value }) as unknown as PolicyChange
