// What the AuthZEN routes are given.
import type { PdpRouteDeps } from '../pdp/route-deps.ts'

export interface AuthzenSettings {
  /** the address that clients use, when it is not the one that the server listens on (PDP_PUBLIC_URL) */
  readonly publicUrl?: string
  /** types of a subject that mean a user; every other is unknown (PDP_AUTHZEN_SUBJECT_TYPES) */
  readonly subjectTypes?: readonly string[]
}

export type AuthzenDeps = PdpRouteDeps & AuthzenSettings
