// The dependencies of the AuthZEN routes.
import type { PdpRouteDeps } from '../pdp/route-deps.ts'

export interface AuthzenSettings {
  /** the address that clients use, when it differs from the one that the server listens on (PDP_PUBLIC_URL) */
  readonly publicUrl?: string
  /** subject types that mean a user; all others are unknown (PDP_AUTHZEN_SUBJECT_TYPES) */
  readonly subjectTypes?: readonly string[]
}

export type AuthzenDeps = PdpRouteDeps & AuthzenSettings
