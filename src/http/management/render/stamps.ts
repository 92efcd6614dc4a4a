// What every answer about a stored object has: where the object belongs, and its times as `…+00:00`.
import type { Scope } from '../auth.ts'

/** RFC 3339 with the offset that the clients know. */
export function printTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00')
}

export const times = ({ created_at, updated_at }: { readonly created_at: number; readonly updated_at: number }) => ({
  created_at: printTime(created_at),
  updated_at: printTime(updated_at),
})

export const place = ({ organization, project, environment }: Scope) => ({
  organization_id: organization,
  project_id: project.id,
  environment_id: environment.id,
})
