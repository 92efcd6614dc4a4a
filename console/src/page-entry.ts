// How the navigation and the command palette show a page; its route says it in `staticData`.
import type { AccessLevel } from './api/session.ts'
import type { IconName } from './components/icon.tsx'

/** Groups of the navigation, in their order. */
export const PAGE_GROUPS = ['overview', 'policy', 'directory', 'decisions', 'changes', 'operations'] as const

export interface PageEntry {
  readonly label: string
  readonly icon: IconName
  readonly group: (typeof PAGE_GROUPS)[number]
  /** what people also call it, for the command palette */
  readonly keywords?: readonly string[]
  /** whose number stands beside the label */
  readonly counts?: 'requests'
  /** what the key needs for this page to be of any use; `read` when absent */
  readonly access?: AccessLevel
}

/** What the command palette finds by name. */
export type EntityKind = 'user' | 'tenant' | 'role' | 'resource'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    readonly page?: PageEntry
    /** The page shows one of these: its key is the parameter of that name, in the path (`users/$user`) or behind it. */
    readonly opens?: EntityKind
  }
}
