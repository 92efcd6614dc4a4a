// The table of the routes of members: what each needs, which fields it reads, and what is said about it in the history.
// Every one of them asks the management API below `F/tenants/{tenant}`, with the tenant of the session.
import { type MemberRoute, quote } from './call.ts'
import { cancelInvite, giveRole, invite, listInvites, listMembers, removeMember, takeRole } from './member-calls.ts'
import { ask, decide, listRequestableRoles, listRequests } from './request-calls.ts'
import { changeRole, createRole, listPermissions, listRoles, removeRole } from './role-calls.ts'

const PAGE = ['page', 'per_page']
/** What is said about a grant beside whose it is. */
const GRANT = ['resource_instance', 'valid_from', 'valid_until', 'reason', 'ticket']
const ROLE = ['name', 'description', 'permissions', 'extends']

export const MEMBER_ROUTES: readonly MemberRoute[] = [
  { method: 'GET', path: ['members'], needs: 'read', query: ['search', 'role', ...PAGE], run: listMembers },
  {
    method: 'DELETE',
    path: ['members', '*'],
    needs: 'manage',
    run: removeMember,
    done: ([user]) => `removed ${quote(user)}`,
  },
  {
    method: 'PUT',
    path: ['members', '*', 'roles', '*'],
    needs: 'manage',
    body: GRANT,
    run: giveRole,
    done: ([user, role]) => `gave role ${quote(role)} to ${quote(user)}`,
  },
  {
    method: 'DELETE',
    path: ['members', '*', 'roles', '*'],
    needs: 'manage',
    query: ['resource_instance'],
    run: takeRole,
    done: ([user, role]) => `took role ${quote(role)} from ${quote(user)}`,
  },
  { method: 'GET', path: ['invites'], needs: 'read', query: ['status', ...PAGE], run: listInvites },
  {
    method: 'POST',
    path: ['invites'],
    needs: 'manage',
    body: ['email', 'user', 'first_name', 'last_name', 'role', ...GRANT],
    run: invite,
    done: (_, { email, user, role }) => `invited ${quote(email ?? user)} as ${quote(role)}`,
  },
  {
    method: 'DELETE',
    path: ['invites', '*'],
    needs: 'manage',
    run: cancelInvite,
    done: ([id]) => `cancelled invite ${quote(id)}`,
  },
  { method: 'GET', path: ['roles'], needs: 'read', query: ['offered', ...PAGE], run: listRoles },
  {
    method: 'POST',
    path: ['roles'],
    needs: 'manageRoles',
    body: ['key', ...ROLE],
    run: createRole,
    done: (_, { key }) => `made role ${quote(key)}`,
  },
  {
    method: 'PATCH',
    path: ['roles', '*'],
    needs: 'manageRoles',
    body: ROLE,
    run: changeRole,
    done: ([role]) => `changed role ${quote(role)}`,
  },
  {
    method: 'DELETE',
    path: ['roles', '*'],
    needs: 'manageRoles',
    run: removeRole,
    done: ([role]) => `deleted role ${quote(role)}`,
  },
  { method: 'GET', path: ['permissions'], needs: 'read', query: PAGE, run: listPermissions },
  { method: 'GET', path: ['requests'], needs: null, query: ['state', 'role', ...PAGE], run: listRequests },
  {
    method: 'POST',
    path: ['requests'],
    needs: null,
    body: ['role', 'resource_instance', 'duration', 'until', 'reason', 'ticket'],
    run: ask,
    done: (_, { role }) => `asked for role ${quote(role)}`,
  },
  { method: 'GET', path: ['requestable_roles'], needs: null, query: PAGE, run: listRequestableRoles },
  stepRoute('approve', 'approved', ['duration', 'until', 'reason']),
  stepRoute('deny', 'denied', ['reason']),
  stepRoute('cancel', 'cancelled', ['reason']),
  stepRoute('revoke', 'revoked', ['reason']),
]

function stepRoute(step: Parameters<typeof decide>[0], done: string, body: readonly string[]): MemberRoute {
  return {
    method: 'POST',
    path: ['requests', '*', step],
    needs: null,
    body,
    run: decide(step),
    done: ([id]) => `${done} request ${quote(id)}`,
  }
}
