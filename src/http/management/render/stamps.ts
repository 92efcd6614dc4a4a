// What every answer about a stored object has: where the object belongs, and its times as `…+00:00`.
import { printTime } from '../../../model/print-time.ts'
import type { Scope } from '../auth.ts'

export { printTime }

export const times = ({ created_at, updated_at }: { readonly created_at: number; readonly updated_at: number }) => ({
  created_at: printTime(created_at),
  updated_at: printTime(updated_at),
})

export const place = ({ organization, project, environment }: Scope) => ({
  organization_id: organization,
  project_id: project.id,
  environment_id: environment.id,
})
