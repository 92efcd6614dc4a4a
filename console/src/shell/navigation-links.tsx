// The pages of the navigation, in groups.
import { Link } from '@tanstack/react-router'
import { Icon } from '../components/icon.tsx'
import { PAGE_GROUPS } from '../page-entry.ts'
import classes from './navigation.module.css'
import { usePageLinks } from './page-links.ts'
import { PendingRequests } from './pending-requests.tsx'

const TITLES: Readonly<Record<(typeof PAGE_GROUPS)[number], string | undefined>> = {
  overview: undefined,
  policy: 'Policy',
  directory: 'Directory',
  decisions: 'Decisions',
  changes: 'Changes',
  operations: 'Operations',
}

export function NavigationLinks() {
  const links = usePageLinks()
  const groups = PAGE_GROUPS.map((group) => ({ group, pages: links.filter((link) => link.group === group) }))
  return (
    <nav aria-label="Pages" className={classes.links}>
      {groups
        .filter(({ pages }) => pages.length > 0)
        .map(({ group, pages }) => (
          <div key={group} className={classes.group}>
            {TITLES[group] !== undefined && (
              <div className={classes.title} id={`group-${group}`}>
                {TITLES[group]}
              </div>
            )}
            <ul aria-labelledby={TITLES[group] === undefined ? undefined : `group-${group}`}>
              {pages.map(({ to, label, icon, counts }) => (
                <li key={to}>
                  <Link to={to} className={classes.link} activeOptions={{ includeSearch: false }}>
                    <Icon name={icon} />
                    {label}
                    {counts === 'requests' && <PendingRequests />}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
    </nav>
  )
}
