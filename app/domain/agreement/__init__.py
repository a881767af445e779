"""How far raters agree, how far a judge agrees with them, and how sure that is."""

from app.domain.agreement.report import AgreementReport, agreement

__all__ = ["AgreementReport", "agreement"]
