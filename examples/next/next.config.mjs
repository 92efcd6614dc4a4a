// Next leaves the package where it was installed: its worker threads need its files.
export default { serverExternalPackages: ['zerohop'] }
