/** Style sheets, which the build extracts from the script. */
declare module '*.css';
