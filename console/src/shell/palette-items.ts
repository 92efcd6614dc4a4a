// What the command palette shows for what was typed: pages by their names, and users, tenants, roles and resources that
// the server finds. What no page shows is not offered; a user can always be asked about on the page Why.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { foldCase } from 'zerohop/fold-case'
import { useEnvironmentPath } from '../api/environments.ts'
import { type Suggest, suggestResources, suggestRoles, suggestTenants, suggestUsers } from '../api/suggestions.ts'
import type { IconName } from '../components/icon.tsx'
import type { EntityKind } from '../page-entry.ts'
import { useOpenEntity } from './entity-links.ts'
import { type PageLink, usePageLinks } from './page-links.ts'

export interface PaletteItem {
  readonly id: string
  readonly label: string
  readonly about?: string | undefined
  readonly icon: IconName
  readonly open: () => void
}

export interface PaletteGroup {
  readonly title: string
  readonly items: readonly PaletteItem[]
}

/** Of each kind. */
const ITEMS_MAX = 5

export interface PaletteResults {
  readonly groups: readonly PaletteGroup[]
  /**
   * Whether the first item is the first one for what is typed. False while the server is still to answer: what it found
   * for an earlier text is shown until then, and must not be opened by Enter.
   */
  readonly isFirstKnown: boolean
}

/** `typed` is the text of the field; `search` is the text that the server is asked about, a moment later. */
export function usePaletteResults(typed: string, search: string): PaletteResults {
  const navigate = useNavigate()
  const path = useEnvironmentPath()
  const pages = usePageLinks().filter((page) => matches(page, typed))
  const askWhy = (user: string) =>
    void navigate({
      to: '/$project/$environment/why',
      params: { project: path.p, environment: path.e },
      search: { user },
    })
  const found = [
    useFound('user', 'Users', 'user', search, (text) => suggestUsers(path, text), askWhy),
    useFound('role', 'Roles', 'keyRound', search, (text) => suggestRoles(path, text)),
    useFound('resource', 'Resources', 'boxes', search, (text) => suggestResources(path, text)),
    useFound('tenant', 'Tenants', 'building2', search, (text) => suggestTenants(path, text)),
  ]
  const pageItems = pages.map(({ to, label, icon }) => ({ id: to, label, icon, open: () => void navigate({ to }) }))
  const groups = [{ title: 'Pages', items: pageItems }, ...found].filter(({ items }) => items.length > 0)
  const isAnswered = search === typed.trim() && found.every(({ isLoading }) => !isLoading)
  return { groups, isFirstKnown: pages.length > 0 || isAnswered }
}

/** Objects of a kind that the server finds. `otherwise` opens one of a kind that no page shows. */
function useFound(
  kind: EntityKind,
  title: string,
  icon: IconName,
  search: string,
  suggest: Suggest,
  otherwise?: (key: string) => void,
): PaletteGroup & { readonly isLoading: boolean } {
  const own = useOpenEntity(useEnvironmentPath())(kind)
  const open = own ?? otherwise
  const found = useQuery({ ...suggest(search), enabled: search !== '' && open !== undefined })
  const rows = search === '' || open === undefined ? [] : (found.data ?? []).slice(0, ITEMS_MAX)
  const items = rows.map(({ key, about }) => ({
    id: `${kind}:${key}`,
    label: key,
    about: own === undefined ? [about, 'ask why'].filter(Boolean).join(' · ') : about,
    icon,
    open: () => open?.(key),
  }))
  return { title, items, isLoading: found.isLoading }
}

const matches = ({ label, keywords = [] }: PageLink, typed: string): boolean =>
  [label, ...keywords].some((word) => foldCase(word).includes(foldCase(typed.trim())))
