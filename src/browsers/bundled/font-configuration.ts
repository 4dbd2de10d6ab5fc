/**
 * A fontconfig file that offers the system's fonts and, for machines without any, the bundled ones. The file inside the
 * package is not used, because it names folders under /tmp, where anyone could place a font for us.
 */
export function fontConfiguration(fontFolder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${fontFolder}</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
}
