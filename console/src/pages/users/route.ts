// /console/{project}/{environment}/users, and …/users/{user}. What is searched and which part is open is in the
// address.
import { createRoute } from '@tanstack/react-router'
import { pageComponent } from '../../api/page-component.ts'
import { pageIn, textIn } from '../../components/search-params.ts'
import { unusedIn } from '../../components/unused-times.ts'
import { environmentRoute } from '../../routes.ts'
import { USER_TABS, type UserSearch, type UsersSearch } from './users-search.ts'

export const usersRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'users',
  validateSearch: (search): UsersSearch => ({
    ...textIn(search, 'search'),
    ...textIn(search, 'role'),
    ...textIn(search, 'tenant'),
    ...pageIn(search),
    ...unusedIn(search),
    ...textIn(search, 'after'),
  }),
  staticData: {
    page: { label: 'Users', icon: 'users', group: 'directory', keywords: ['people', 'members', 'roles'] },
  },
  component: pageComponent(() => import('./users-page.tsx'), 'UsersPage'),
})

export const userRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'users/$user',
  validateSearch: (search): UserSearch => {
    const tab = USER_TABS.find(({ id }) => id === search.tab)?.id
    return {
      ...(tab === undefined ? {} : { tab }),
      ...pageIn(search),
      ...textIn(search, 'tenant'),
      ...textIn(search, 'search'),
    }
  },
  staticData: { opens: 'user' },
  component: pageComponent(() => import('./user-page.tsx'), 'UserPage'),
})
