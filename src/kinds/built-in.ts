// `__user` and `__tenant`: no resource types, but what declares the attributes of users and of tenants. In a delta they
// are resource types without actions (src/log/delta.ts).

import type { Kind } from './kind.ts'
import type { Resource } from './resource.ts'

export const builtIn = {
  number: 16,
  hasIds: true,
  hasOwnTable: false,
  indexes: {},
  projection: null,
  inFiles: null,
} as const satisfies Kind<'built_in', Resource>
