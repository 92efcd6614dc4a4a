// The environment that was open last in this browser, so that the console opens there again.
import type { EnvironmentPath } from '../api/environments.ts'

const KEY = 'zerohop-environment'

export function rememberEnvironment({ p, e }: EnvironmentPath): void {
  localStorage.setItem(KEY, JSON.stringify({ p, e }))
}

export function lastEnvironment(): EnvironmentPath | undefined {
  try {
    const { p, e } = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<EnvironmentPath>
    return typeof p === 'string' && typeof e === 'string' ? { p, e } : undefined
  } catch {
    return undefined
  }
}
