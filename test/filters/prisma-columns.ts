// The columns of the table that tests of Prisma ask, and those of them that are never null.
export const TYPES = {
  status: 'text',
  value: 'text',
  owner: 'uuid',
  amount: 'integer',
  score: 'double',
  done: 'boolean',
  due: 'timestamptz',
} as const
export const REQUIRED = ['value']
