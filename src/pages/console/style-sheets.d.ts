/** Style sheets, which the build takes out of the script. */
declare module '*.css';
