"""Pictures of an audit: SVG from plain Python, for notebooks and pages, on light and on dark."""

from causalassay.auditing.pictures.gallery import Picture, audit_pictures, pooled_pictures

__all__ = ["Picture", "audit_pictures", "pooled_pictures"]
