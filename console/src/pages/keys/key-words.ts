// What a key is called, what it reaches and what it may do, in words.
import type { ApiKey } from './key-queries.ts'

export const ACCESS_WORDS = {
  read: 'Read: follow, check and list',
  write: 'Write: also change policy and facts, and send decisions',
  admin: 'Everything, API keys included',
} as const

export function nameOfKey({ name, owner_type, id }: Pick<ApiKey, 'name' | 'owner_type' | 'id'>): string {
  return name ?? (owner_type === 'pdp_config' ? 'PDP of the environment' : `key ${id.slice(0, 8)}`)
}

export function reachOfKey({ object_type, project, env }: Pick<ApiKey, 'object_type' | 'project' | 'env'>): string {
  if (object_type === 'org') return 'The organization'
  if (object_type === 'project') return `Project ${project?.key ?? '(deleted)'}`
  return `Environment ${project?.key ?? '…'}/${env?.key ?? '(deleted)'}`
}

/** A line that starts a PDP. Without a secret it takes the one of the shell: nothing is written down by accident. */
export function pdpLines(origin: string, secret?: string): readonly { readonly by: string; readonly line: string }[] {
  const given = secret === undefined ? '' : `=${secret}`
  const shell = secret === undefined ? '' : `PDP_API_KEY=${secret} `
  return [
    {
      by: 'Docker',
      line: `docker run -p 7000:7000 -e PDP_API_KEY${given} -e PDP_CONTROL_PLANE=${origin} zerohop/pdp-v2:latest`,
    },
    { by: 'Node.js', line: `${shell}PDP_CONTROL_PLANE=${origin} npx zerohop pdp` },
  ]
}
