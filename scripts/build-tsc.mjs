// How the compiler is run here: with little processor time. By default four checkers each go through what files share,
// and garbage is collected early: together twice the work.
export const TSC_OPTIONS = ['--checkers', '1']
export const TSC_ENV = { GOGC: '400', ...process.env }
