/** Version of the charts and of the images that they name: that of the packages. */
export const version = '0.1.0';
