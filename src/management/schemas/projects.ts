// Projects in the API: what is sent and what is answered at /v2/projects.
import * as t from '../../model/json-schema.ts'
import { EnvironmentCreate } from './environments.ts'
import { bodyNames, readNames } from './field-members.ts'
import { Attributes, Id, Key, Null, sameKey, stamps } from './schema-parts.ts'

const fields = { ...bodyNames, settings: t.maybe(Attributes), active_policy_repo_id: t.later() }

export const ProjectCreate = t.named(
  'ProjectCreate',
  t.closed({
    key: Key,
    urn_namespace: t.maybe(t.Text),
    ...fields,
    initial_environments: t.maybe(t.listOf(EnvironmentCreate)),
  }),
)
export type ProjectCreate = t.Static<typeof ProjectCreate>

export const ProjectReplace = t.named(
  'ProjectReplace',
  t.closed({ ...sameKey, urn_namespace: t.maybe(t.Text), ...fields }),
)
export type ProjectReplace = t.Static<typeof ProjectReplace>

export const ProjectUpdate = t.named('ProjectUpdate', t.closed({ ...sameKey, ...fields }))
export type ProjectUpdate = t.Static<typeof ProjectUpdate>

export const ProjectRead = t.named(
  'Project',
  t.open({
    id: Id,
    key: t.Text,
    ...readNames,
    urn_namespace: t.nullable(t.Text),
    settings: t.nullable(Attributes),
    active_policy_repo_id: Null,
    organization_id: Id,
    ...stamps,
  }),
)

export type ProjectRead = t.Static<typeof ProjectRead>
